/** Serves the built page on a free port while the browser tests run. */

import type { AddressInfo } from "node:net";
import { preview, type PreviewServer } from "vite";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of the page, without a trailing slash. */
    address: string;
  }
}

let server: PreviewServer;

export async function setup(project: TestProject): Promise<void> {
  server = await preview({ preview: { port: 0 } });
  const { port } = server.httpServer.address() as AddressInfo;
  project.provide("address", `http://localhost:${port}`);
}

export async function teardown(): Promise<void> {
  await server.close();
}
