import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import "./ui/theme.css";

const root = document.querySelector("#root");
if (root === null) throw new TypeError("The page has no element #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
