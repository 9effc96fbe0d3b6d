export default {
  // Only in this repository, where packages are further up.
  turbopack: { root: new URL("../../..", import.meta.url).pathname },
};
