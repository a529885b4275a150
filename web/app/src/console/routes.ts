// The address of a screen: #/videos/ID?text=… holds the state of every list.
import { useSyncExternalStore } from "react";

import { monthOf } from "./periods";

export interface Route { screen: string; id: string; params: URLSearchParams }

const current = () => location.hash;
const subscribe = (changed: () => void) => {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
};

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, current);
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [screen = "", id = ""] = path.split("/").map(decoded);
  return { screen, id, params: new URLSearchParams(query) };
}

// An address that somebody has typed may not be encoded.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the month in the address, or the last one if there is none such as 2026-11. */
export function monthIn(route: Route): string {
  const month = route.params.get("month") ?? "";
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? month : monthOf(1);
}

/** Returns the address of a screen. Empty parameters are left out. */
export function href(screen: string, id = "", params: Record<string, string | undefined> = {}): string {
  const query = new URLSearchParams(Object.entries(params).filter((pair): pair is [string, string] => !!pair[1])).toString();
  return `#/${screen}${id && `/${encodeURIComponent(id)}`}${query && `?${query}`}`;
}

// The forms with changes that nobody has saved. This listener is the first, so that no screen sees an address that is refused.
const unsaved = new Set<object>();
window.addEventListener("hashchange", (event) => {
  if (unsaved.size === 0 || !event.oldURL) return; // refine names no old address: its screen stays
  if (window.confirm("Leave this page without saving your changes?")) {
    unsaved.clear();
    return;
  }
  event.stopImmediatePropagation();
  history.pushState(null, "", event.oldURL);
});
window.addEventListener("beforeunload", (event) => { if (unsaved.size > 0) event.preventDefault(); });

/** Notes whether a form has changes that its user would lose by leaving the page. */
export function noteUnsaved(form: object, changed: boolean): void {
  if (changed) unsaved.add(form);
  else unsaved.delete(form);
}

/** Reports whether a form has such changes. */
export const hasUnsaved = () => unsaved.size > 0;

export function go(address: string): void { location.hash = address; }

/** Changes parameters of the current screen without a new entry in the history. */
export function refine(route: Route, changes: Record<string, string>): void {
  const params = { ...Object.fromEntries(route.params), ...changes };
  history.replaceState(null, "", href(route.screen, route.id, params));
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}
