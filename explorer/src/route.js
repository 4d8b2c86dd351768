// Deep links: `#tool/<name>/<section>`, `#schema/<id>`, `#changes`, `#search/<words>`; anything else is the overview.

import { useEffect, useState } from "preact/hooks";

// a lone surrogate cannot be a part of an address
const encoded = (part) => encodeURIComponent(String(part).replace(/\p{Cs}/gu, "\ufffd"));

/** Return a part of an address without its escapes. */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a percent sign that is no escape
  }
}

export const linkTo = (...parts) => `#${parts.map(encoded).join("/")}`;

export function parseHash(hash) {
  const [view = "", name = "", section = ""] = hash.replace(/^#/, "").split("/").map(decoded);
  return { view, name, section };
}

export function useRoute() {
  const [route, setRoute] = useState(() => parseHash(location.hash));
  useEffect(() => {
    const follow = () => setRoute(parseHash(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
