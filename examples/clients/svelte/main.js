import { mount } from "svelte";
import App from "./App.svelte";
import { client } from "./flags.js";

client.on("error", console.error);
mount(App, { target: document.querySelector("#app") });
await client.start();
