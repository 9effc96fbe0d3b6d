import { FlagProvider, useFlag, useFlagsStatus, useVariant } from "@unleash/proxy-client-react";
import { createRoot } from "react-dom/client";

const config = {
  url: "http://127.0.0.1:3000/proxy",
  clientKey: "demo-web-key",
  appName: "web",
  context: { userId: "7" },
};

function Flags() {
  const { flagsReady } = useFlagsStatus();
  const isNew = useFlag("new-header");
  const colour = useVariant("button-colour").name;
  if (!flagsReady) return "Loading";
  return `new-header: ${isNew}, button-colour: ${colour}`;
}

createRoot(document.querySelector("#app")).render(
  <FlagProvider config={config}>
    <Flags />
  </FlagProvider>,
);
