import optimizeLocales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { collectLicences, LICENCES_FILE } from "../../scripts/bundle/third-party-licences.mjs";

/** Where `npm run dev` finds flags-admin. */
const ADMIN = process.env["FLAGS_ADMIN"] ?? "http://127.0.0.1:4242";

/** Writes the licences of the bundled packages next to the page, where the service sends them to browsers too. */
const writeLicences: Plugin = {
  name: "write-licences",
  async generateBundle(_options, files) {
    const modules = Object.values(files).flatMap((file) =>
      file.type === "chunk" ? file.moduleIds : [],
    );
    this.emitFile({
      type: "asset",
      fileName: LICENCES_FILE,
      source: await collectLicences(modules),
    });
  },
};

export default defineConfig(({ command }) => ({
  // URLs are relative to the `<base>` of the page, so that the service can run below a path.
  base: "./",
  plugins: [
    // The console is in English. Other texts of the component library would never be shown.
    optimizeLocales.vite({ locales: ["en-US"] }),
    react(),
    writeLicences,
    {
      name: "replace-placeholders",
      // flags-admin replaces them in each response.
      transformIndexHtml: (html) =>
        command === "serve" ? html.replace("__BASE_HREF__", "/") : html,
    },
  ],
  // NOTE: the nonce is also for the style element that the component library adds.
  ...(command === "build" && { html: { cspNonce: "__CSP_NONCE__" } }),
  build: {
    outDir: "../admin/dist/console",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // In kB without compression.
    chunkSizeWarningLimit: 800,
    // Pages appear with their styles, and the order of styles does not depend on which page was opened first.
    cssCodeSplit: false,
    // What the first visit needs is in two files, and browsers keep the libraries when only the console changes. What
    // several of the other pages need is in a third one, so that a page needs at most two further files.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "libraries", test: /node_modules/, tags: ["$initial"], priority: 2 },
            { name: "index", tags: ["$initial"], priority: 1 },
            { name: "shared", minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": ADMIN, "/auth": ADMIN, "/invite": ADMIN } },
}));
