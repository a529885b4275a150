import { createRoot } from "react-dom/client";

import { Console, Stopped, Unconfigured } from "./Console";
import "./console.css";
import { client, start } from "./session";

const place = document.getElementById("app");
if (place) {
  const root = createRoot(place);
  if (!client) {
    root.render(<Unconfigured />);
  } else {
    start().then((signedIn) => { if (signedIn) root.render(<Console />); }, (failure: unknown) => root.render(<Stopped message={(failure as Error).message} />));
  }
}
