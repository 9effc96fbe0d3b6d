// The documentation site: `npm run docs:build`. It needs nothing from other servers when it is viewed.

import { defineConfig } from "vitepress";
import { linkOutside } from "./link-outside.mjs";
import { nameMessages } from "./messages.mjs";
import { SEARCH_OPTIONS } from "./search.mjs";
import { SIDEBAR } from "./sidebar.mjs";
import { toAnchor } from "../../scripts/docs/anchors.mjs";

const REPOSITORY = "https://github.com/flags-project/flags";

export default defineConfig({
  title: "flags",
  description: "Self-hosted feature flags: a console for the team, a proxy for browsers and apps",
  lang: "en",
  // GitHub Pages serves the site below the name of the repository.
  base: process.env.DOCS_BASE ?? "/",
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ["decisions/template.md"],
  markdown: {
    // Addresses in text are often examples.
    linkify: false,
    anchor: { slugify: toAnchor },
    config: (markdown) => {
      linkOutside(markdown, `${REPOSITORY}/blob/main`);
      breakLongNames(markdown);
      nameMessages(markdown);
    },
  },
  head: [["link", { rel: "icon", href: `${process.env.DOCS_BASE ?? "/"}icon.svg` }]],
  themeConfig: {
    logo: "/icon.svg",
    search: { provider: "local", options: SEARCH_OPTIONS },
    outline: [2, 3],
    nav: [
      { text: "Tutorial", link: "/tutorial/quickstart" },
      { text: "Guides", link: "/guides/" },
      { text: "Reference", link: "/reference/configuration" },
      { text: "Background", link: "/background/concepts" },
    ],
    sidebar: SIDEBAR,
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    footer: {
      message: "Apache-2.0. Unleash is a trademark of its owner; this project is not affiliated.",
    },
  },
});

/** Lets long names of settings continue on the next line, so that tables need less width. */
function breakLongNames({ renderer: { rules } }) {
  const render = rules.code_inline;
  rules.code_inline = (...input) =>
    // NOTE: `v-pre`, or Vue evaluates what is in two braces.
    render(...input)
      .replace(/^<code(?! v-pre)/, "<code v-pre")
      .replace(/[A-Za-z\d_.]{12,}?[_.](?=\w)/g, "$&<wbr>");
}
