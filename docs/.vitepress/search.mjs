/**
 * How the site searches: guides come first, and neither decision records nor generated lists of settings, events and
 * operations are in the index.
 */
export const SEARCH_OPTIONS = {
  _render: async (source, env, markdown) =>
    /^(?:decisions\/|reference\/admin-endpoints)/.test(env.relativePath)
      ? ""
      : markdown.render(withoutGeneratedTables(source), env),
  miniSearch: {
    searchOptions: {
      prefix: true,
      // Otherwise "schedule" finds "scheduler", and "stale" finds "scale".
      fuzzy: false,
      boost: { title: 4, text: 2, titles: 1 },
      // NOTE: runs in the browser, from its source text.
      boostDocument: (id) => (/\/(?:guides|tutorial)\//.test(id) ? 3 : 1),
    },
  },
};

function withoutGeneratedTables(source) {
  return source.replaceAll(/<!-- (options|aliases|events):start[\s\S]*?<!-- \1:end -->/g, "");
}
