interface ChangeStreamOptions {
  /** Called with the data of each change. */
  readonly onChange: (data: string) => void;
  /** Called when changes may have been missed. */
  readonly onGap: () => void;
  /** Called when the service refuses the stream, for example because the session has ended. */
  readonly onRefused: () => void;
}

const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

/**
 * Receives changes from the service until the signal is aborted. Pauses while the page is hidden: browsers allow
 * only six connections to a server without HTTP/2, so the streams of forgotten tabs would block all others.
 */
export function openChangeStream(
  address: URL,
  { onChange, onGap, onRefused }: ChangeStreamOptions,
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
    source = opened;
    opened.addEventListener("open", () => {
      retryMs = MIN_RETRY_MS;
      if (hasGap) onGap();
      hasGap = false;
    });
    opened.addEventListener("change", ({ data }) => onChange(String(data)));
    opened.addEventListener("reset", onGap);
    opened.addEventListener("error", () => {
      // NOTE: pages may show errors of requests that failed in the meantime, even if no change was missed.
      hasGap = true;
      // After a lost connection, browsers reconnect by themselves, but not after an error response.
      if (opened.readyState !== EventSource.CLOSED) return;
      close();
      onRefused();
      timer = window.setTimeout(open, retryMs);
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    });
  };
  const followVisibility = (): void => {
    close();
    if (document.visibilityState === "visible") open();
  };

  if (document.visibilityState === "visible") open();
  document.addEventListener("visibilitychange", followVisibility, { signal });
  signal.addEventListener("abort", close);
}
