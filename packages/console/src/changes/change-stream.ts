interface ChangeStreamOptions {
  /** Called with the data of each change. */
  readonly onChange: (data: string) => void;
  /** Called when changes may have been missed. */
  readonly onGap: () => void;
  /** Called when the stream is lost or cannot be opened, for example because the session has ended. */
  readonly onFailure: () => void;
}

const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

/**
 * Receives changes from the service until the signal is aborted. Pauses while the page is hidden: browsers allow
 * only six connections to a server without HTTP/2, so the streams of forgotten tabs would block all others.
 */
export function openChangeStream(
  address: URL,
  { onChange, onGap, onFailure }: ChangeStreamOptions,
  signal: AbortSignal,
): void {
  let source: EventSource | undefined;
  let hasGap = false;
  let retryMs = MIN_RETRY_MS;
  let timer: number | undefined;

  const close = (): void => {
    window.clearTimeout(timer);
    source?.close();
    source = undefined;
    hasGap = true;
  };
  const open = (): void => {
    const opened = new EventSource(address);
    let isOpen = false;
    source = opened;
    opened.addEventListener("open", () => {
      isOpen = true;
      retryMs = MIN_RETRY_MS;
      if (hasGap) onGap();
      hasGap = false;
    });
    opened.addEventListener("change", ({ data }) => onChange(String(data)));
    opened.addEventListener("reset", onGap);
    opened.addEventListener("error", () => {
      // NOTE: pages may show errors of requests that failed in the meantime, even if no change was missed.
      hasGap = true;
      onFailure();
      // After a lost connection, the browser reconnects automatically, after a delay that the service has chosen so that not
      // all pages reconnect at once. If that fails too, it would continue with the same delay.
      if (isOpen && opened.readyState !== EventSource.CLOSED) {
        isOpen = false;
        return;
      }
      close();
      timer = window.setTimeout(open, retryMs * (1 - Math.random() / 2));
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    });
  };
  const followVisibility = (): void => {
    close();
    if (document.visibilityState === "visible") open();
  };

  if (document.visibilityState === "visible") open();
  document.addEventListener("visibilitychange", followVisibility, { signal });
  window.addEventListener("online", followVisibility, { signal });
  signal.addEventListener("abort", close);
}
