import { createRoot } from "react-dom/client";

import { Explorer } from "./Explorer";
import "./explorer.css";

const app = document.getElementById("app");
if (app) createRoot(app).render(<Explorer />);
