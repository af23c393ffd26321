/**
 * Notifications of the system while the page is hidden.
 *
 * The browser is asked for permission only when the user turns them on, with a click. Only the last
 * notification stays, and it goes away when the user comes back.
 */

import { settings } from "./settings.svelte";

const TAG = "castellan-turn";

/** Whether this browser has notifications at all. */
export const canNotify = (): boolean => typeof Notification !== "undefined";

/** Turns notifications on, if the user allows them. Returns whether they do. */
export async function allowNotifications(): Promise<boolean> {
  if (!canNotify()) return false;
  const permission = Notification.permission === "default" ? await Notification.requestPermission() : Notification.permission;
  settings.notify = permission === "granted";
  return settings.notify;
}

/** Shows a notification if the user wants them and does not see the page. */
export async function notify(title: string, body: string): Promise<void> {
  if (!settings.notify || !document.hidden || !canNotify() || Notification.permission !== "granted") return;
  const options = { body, tag: TAG, icon: "/icon-192.png" };
  try {
    const shown = new Notification(title, options);
    const close = () => shown.close();
    shown.onclick = () => {
      window.focus();
      close();
    };
    document.addEventListener("visibilitychange", close, { once: true });
  } catch {
    // Browsers of phones show notifications only through the service worker.
    const worker = await navigator.serviceWorker?.getRegistration();
    await worker?.showNotification(title, options);
  }
}
