/** Transactions in IndexedDB. */

/** A database and its object stores, each with how it is created. */
export interface Schema {
  database: string;
  stores: Record<string, IDBObjectStoreParameters>;
}

/** Runs one transaction over all stores and resolves when it is complete. */
export async function transact<T>(
  schema: Schema,
  mode: IDBTransactionMode,
  ask: (store: (name: string) => IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open(schema);
  try {
    return await new Promise<T>((done, fail) => {
      const transaction = database.transaction(Object.keys(schema.stores), mode);
      const request = ask((name) => transaction.objectStore(name));
      transaction.oncomplete = () => done(request.result);
      transaction.onerror = () => fail(transaction.error ?? request.error);
      transaction.onabort = () => fail(transaction.error ?? request.error);
    });
  } finally {
    database.close();
  }
}

function open({ database, stores }: Schema): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => {
      for (const [name, parameters] of Object.entries(stores)) request.result.createObjectStore(name, parameters);
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
    request.onblocked = () => fail(new Error("the database is blocked"));
  });
}
