import { splitMessages } from "./messages.mjs";

/**
 * How the site searches: guides come first, unless somebody pastes a message. Neither decision records nor generated lists
 * of settings, events and operations are in the index.
 */
export const SEARCH_OPTIONS = {
  _render: async (source, env, markdown) =>
    /^(?:decisions\/|reference\/admin-endpoints)/.test(env.relativePath)
      ? ""
      : markdown.render(withoutGeneratedTables(source), env),
  miniSearch: {
    _splitIntoSections: async (path, html) => splitMessages(path, html),
    searchOptions: {
      prefix: true,
      // Otherwise "schedule" finds "scheduler", and "stale" finds "scale".
      fuzzy: false,
      boost: { title: 4, text: 2, titles: 1 },
      // NOTE: both functions run in the browser, from their source text. Somebody who enters so many words has pasted a
      // message, which only the first function sees. Addresses in it say nothing.
      tokenize: (query) => {
        const text = query.replaceAll(/https?:\/\/\S+/g, "");
        const words = (text.trim() === "" ? query : text).split(/[\n\r\p{Z}\p{P}]+/u);
        globalThis.hasPastedMessage = words.length >= 8;
        return words;
      },
      boostDocument: (id) => {
        if (/\/(?:guides|tutorial)\//.test(id)) return 4;
        if (!id.includes("/reference/troubleshooting")) return 1;
        return globalThis.hasPastedMessage ? 6 : 2;
      },
    },
  },
};

function withoutGeneratedTables(source) {
  return source.replaceAll(/<!-- (options|aliases|events):start[\s\S]*?<!-- \1:end -->/g, "");
}
