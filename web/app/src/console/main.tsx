import { createRoot } from "react-dom/client";

import { Console, Elsewhere, Stopped, Unconfigured } from "./Console";
import "./console.css";
import { client, start } from "./session";

const place = document.getElementById("app");
if (place) {
  const root = createRoot(place);
  if (!client) {
    root.render(<Unconfigured />);
  } else {
    start().then((place) => { if (place !== "LEAVES") root.render(place === "HERE" ? <Console /> : <Elsewhere />); }, (failure: unknown) => root.render(<Stopped message={(failure as Error).message} />));
  }
}
