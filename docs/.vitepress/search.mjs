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
      // NOTE: runs in the browser, from its source text.
      boostDocument: (id) => {
        if (/\/(?:guides|tutorial)\//.test(id)) return 4;
        return id.includes("/reference/troubleshooting") ? 2 : 1;
      },
    },
  },
};

function withoutGeneratedTables(source) {
  return source.replaceAll(/<!-- (options|aliases|events):start[\s\S]*?<!-- \1:end -->/g, "");
}
