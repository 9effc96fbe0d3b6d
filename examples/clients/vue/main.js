import { plugin } from "@unleash/proxy-client-vue";
import { createApp } from "vue";
import App from "./App.vue";

const config = {
  url: "http://127.0.0.1:3000/proxy",
  clientKey: "demo-web-key",
  appName: "web",
  context: { userId: "7" },
};

createApp(App).use(plugin, { config }).mount("#app");
