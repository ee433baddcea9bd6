// Elements are made here and nowhere else, and all text goes in as text: what an event says is never markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. Names with `on` are handlers, all others attributes; null, undefined and false leave an attribute out.
 * @param {string} name of the element
 * @param {Object<string, *>} [attributes]
 * @param {...(Node|string|number|null|undefined|Array)} children texts and elements, lists of them too
 * @returns {Element}
 */
export function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for what is drawn. */
export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : visible(String(child)));
  }
}

/** Characters that turn the direction of what follows, or can't be seen, are named: a code must not look like another. */
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (letter) => `⟨U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

const HANDLERS = ["onclick", "onchange", "oninput", "onsubmit", "onkeydown", "ontoggle"];

/**
 * Makes one tree look like another by changing only what differs, so that focus, selection, what is typed and what is
 * unfolded outlast a refresh. Children with `data-key` keep their elements when their order changes.
 * @param {Element} old the tree that is on the page
 * @param {Element} fresh the tree that it shall look like; it is used up
 */
export function morph(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isOwn(old, name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (isOwn(old, name) && old.hasAttribute(name)) continue;
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const name of HANDLERS) if (old[name] !== fresh[name]) old[name] = fresh[name];
  morphChildren(old, fresh);
}

/** Attributes that belong to the person who looks. */
function isOwn(element, name) {
  return name === "open" && element.localName === "details";
}

function morphChildren(old, fresh) {
  const keyed = new Map();
  for (const child of old.children) if (child.dataset?.key) keyed.set(child.dataset.key, child);
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const key = wanted.dataset?.key;
    let match = key ? keyed.get(key) : place;
    if (match && !key && match.dataset?.key) match = null;
    if (match && isAlike(match, wanted)) {
      if (match === place) place = place.nextSibling;
      else old.insertBefore(match, place);
      if (match.nodeType === Node.TEXT_NODE) {
        if (match.data !== wanted.data) match.data = wanted.data;
      } else morph(match, wanted);
    } else {
      old.insertBefore(wanted, place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function isAlike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName
    && (one.dataset?.key ?? null) === (other.dataset?.key ?? null);
}
