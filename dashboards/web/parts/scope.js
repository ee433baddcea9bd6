// A slice of payers in words.
import { t } from "../words.js";

/** A `match` of attributes: `region CN, app.version 4.2.0`; everywhere where there is none. */
export function scopeText(match) {
  const pairs = Object.entries(match ?? {}).filter(([name]) => name !== "environment");
  return pairs.length ? pairs.map(([name, value]) => `${name} ${value}`).join(", ") : t("scope.all");
}

/** An error key in words. */
export const keyText = (domain, code) => (domain ? `${domain}/${code}` : String(code));

/** What an alert is about: its error key, else its rule. */
export function alertTitle(alert) {
  const code = alert.group?.["error.code"];
  return code ? keyText(alert.group["error.domain"], code) : alert.rule;
}

/** Where pages are. */
export const links = {
  error: (code, domain, environment) => hash(`/errors/${encodeURIComponent(code)}`, { domain, environment: named(environment) }),
  alert: (id) => hash(`/alerts/${encodeURIComponent(id)}`),
  switch: (key, environment) => hash(`/switches/${encodeURIComponent(key)}`, { environment: named(environment) }),
  attempt: (id, environment) => hash(`/attempts/${encodeURIComponent(id)}`, { environment: named(environment) }),
};

const named = (environment) => (environment === "production" ? undefined : environment);

/** An address within the page. */
export function hash(path, query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return `#${path}${pairs.length ? `?${new URLSearchParams(pairs)}` : ""}`;
}
