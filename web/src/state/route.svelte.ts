/** The current page of the app. Addresses are paths, so that every page can be linked to. */

export const PLACES = [
  "home",
  "two",
  "computer",
  "online",
  "live",
  "game",
  "editor",
  "doctor",
  "library",
  "archive",
  "review",
  "analysis",
  "puzzles",
  "server",
  "admin",
  "settings",
  "about",
] as const;
export type Place = (typeof PLACES)[number];

function placeOf(path: string): Place {
  const name = path.split("/")[1] ?? "";
  return PLACES.find((place) => place === name) ?? "home";
}

class Route {
  place = $state<Place>(placeOf(location.pathname));
  query = $state(location.search);

  constructor() {
    addEventListener("popstate", () => this.#read());
  }

  /** Navigates to a page. */
  go(place: Place, query = ""): void {
    history.pushState(null, "", pathOf(place) + query);
    this.#read();
    scrollTo(0, 0);
  }

  #read(): void {
    this.place = placeOf(location.pathname);
    this.query = location.search;
  }
}

export const pathOf = (place: Place): string => (place === "home" ? "/" : `/${place}`);

export const route = new Route();

/**
 * Handles clicks on links: a plain click navigates within the app, anything else is left to the
 * browser.
 */
export function follow(event: MouseEvent, place: Place, query = ""): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  route.go(place, query);
}
