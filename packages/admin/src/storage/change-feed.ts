/** Tells everybody who listens in this process that there is a newer revision. */
export interface ChangeFeed {
  /** Passes a revision on, unless one as new has been passed on before. */
  readonly announce: (revision: number) => void;
  listen(listener: (revision: number) => void): () => void;
}

export function createChangeFeed(): ChangeFeed {
  const listeners = new Set<(revision: number) => void>();
  let latest = 0;
  return {
    announce(revision) {
      if (!(revision > latest)) return;
      latest = revision;
      for (const listener of listeners) listener(revision);
    },
    listen(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
