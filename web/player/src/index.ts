import { FilmstripPlayerElement } from "./element";

export { FilmstripPlayerElement };

// The page may have loaded the file under two addresses.
if (!customElements.get("filmstrip-player")) customElements.define("filmstrip-player", FilmstripPlayerElement);
