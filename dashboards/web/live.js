// Keeps a page fresh: it asks again every few seconds, and at once when the stream of the switches says that one moved.

const INTERVAL_MS = 3_000;
/** Where a page isn't looked at, nobody needs it fresh. */
const HIDDEN_MS = 30_000;
/** A stream that was refused (it may need a token, which streams can't carry) is asked for again after this. */
const REFUSED_MS = 60_000;

/**
 * @param {{refresh: function(AbortSignal): Promise<void>, place: function(): {environment: string}}} source
 * @returns {{now: function()}} `now` asks at once, whatever is under way
 */
export function live({ refresh, place }) {
  let running = null;
  let timer = null;
  let stream = null;
  let streamed = null;
  let refusedAt = -REFUSED_MS;

  async function run() {
    clearTimeout(timer);
    running?.abort();
    const mine = new AbortController();
    running = mine;
    follow();
    await refresh(mine.signal);
    if (running !== mine) return;
    running = null;
    timer = setTimeout(run, document.hidden ? HIDDEN_MS : INTERVAL_MS);
  }

  /** The stream needs no token unless polls do; then there are the polls alone. */
  function follow() {
    const { environment } = place();
    const isRefused = stream?.readyState === EventSource.CLOSED && performance.now() - refusedAt < REFUSED_MS;
    if (streamed === environment && (isRefused || stream?.readyState !== EventSource.CLOSED)) return;
    stream?.close();
    streamed = environment;
    stream = new EventSource(`v1/switches/stream?${new URLSearchParams({ environment })}`);
    const mine = stream;
    stream.onerror = () => {
      // One that only broke off connects again by itself.
      if (mine.readyState === EventSource.CLOSED) refusedAt = performance.now();
    };
    let isFirst = true;
    stream.onmessage = () => {
      // It begins with what is known already.
      if (!isFirst) run();
      isFirst = false;
    };
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) run();
  });
  return { now: run };
}
