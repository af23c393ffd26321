/** Serves the built page while the tests in the browser run. */

import { preview, type PreviewServer } from "vite";

export const PORT = Number(process.env["E2E_PORT"] ?? 4173);
let server: PreviewServer;

export async function setup(): Promise<void> {
  server = await preview({ preview: { port: PORT, strictPort: true } });
}

export async function teardown(): Promise<void> {
  await server.close();
}
