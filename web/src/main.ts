/** Entry point: loads the language and the rules, then mounts the page. */

import { mount } from "svelte";
import App from "./App.svelte";
import { loadTable } from "./core/table";
import { locale, preferredLanguage } from "./state/i18n.svelte";
import { settings } from "./state/settings.svelte";
import { watchPixels } from "./pixels";
import "./styles/fonts.css";
import "./styles/base.css";
import "./styles/tokens.css";

const target = document.getElementById("app");
if (!target) throw new Error("mount element #app not found");

watchPixels();
// The rules load in the background; the first screen does not wait for them.
void loadTable();
await locale.use(settings.language ?? preferredLanguage());
mount(App, { target });

if ("serviceWorker" in navigator && import.meta.env.PROD) {
  void navigator.serviceWorker.register("/sw.js");
}
