// Speaking with the daemon: relative addresses, so that a proxy may put it under any path.

const TOKEN = "shunt.token";

/** An answer that isn't a success: the daemon's problem, or none where nobody answered (`status` 0). */
export class Failure extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** The token of this tab; it goes with the tab. */
export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: (text) => (text ? sessionStorage.setItem(TOKEN, text) : sessionStorage.removeItem(TOKEN)),
};

/** An address with its query; parameters without a value are left out. */
export function address(path, query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path;
}

/**
 * What an address answers.
 * @throws {Failure}
 */
export async function get(path, query, signal) {
  return ask(address(path, query), { signal });
}

/** The same; null where the daemon has no such thing (404, or 405 of an older one). */
export async function getIfAny(path, query, signal) {
  if ((missing.get(path) ?? 0) > Date.now()) return null;
  try {
    return await get(path, query, signal);
  } catch (failure) {
    if (failure.status !== 404 && failure.status !== 405) throw failure;
    if (missing.size > 100) missing.clear();
    missing.set(path, Date.now() + MISSING_MS);
    return null;
  }
}

/** What wasn't there isn't asked for with each refresh: it takes a new daemon, or a first event, to be there. */
const MISSING_MS = 15_000;
const missing = new Map();

/** Does something. */
export async function send(method, path, body, query) {
  const options = { method };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "Content-Type": "application/json" };
  }
  return ask(address(path, query), options);
}

/** Amounts stay the digits that were sent: a sum of minor units may be larger than a number of JavaScript's. */
function keepDigits(key, value, context) {
  return key === "minor" && typeof value === "number" ? (context?.source ?? String(value)) : value;
}

async function ask(target, { signal, ...options }) {
  const headers = { Accept: "application/json", ...options.headers };
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  // A hung daemon is a daemon that is gone.
  const limit = AbortSignal.timeout(10_000);
  let reply;
  let text;
  try {
    reply = await fetch(target, {
      ...options, headers, cache: "no-cache", credentials: "omit",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    text = await reply.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(0, "unreachable", String(error?.message ?? error));
  }
  let body = null;
  try {
    body = text ? JSON.parse(text, keepDigits) : null;
  } catch {
    throw new Failure(reply.ok ? 0 : reply.status, "unreadable", `${reply.status}`);
  }
  if (reply.ok) return body;
  throw new Failure(reply.status, body?.code ?? "failed", body?.detail ?? reply.statusText);
}
