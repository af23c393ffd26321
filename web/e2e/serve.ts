/** Serves the built page while the tests in the browser run. */

import { preview, type PreviewServer } from "vite";
import { PORT } from "./browser";

let server: PreviewServer;

export async function setup(): Promise<void> {
  server = await preview({ preview: { port: PORT, strictPort: true } });
}

export async function teardown(): Promise<void> {
  await server.close();
}
