/** Where in the page the person is. Addresses are paths, so that each place can be linked to. */

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
  "server",
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

  /** Goes to a place. */
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

/** For links: a plain click stays in the page, everything else is the browser's. */
export function follow(event: MouseEvent, place: Place, query = ""): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  route.go(place, query);
}
