// Characters that are not seen, or that reorder text, are shown as escapes: a contract must not hide a word.

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}\p{Co}]/gu;

/** Return a text with its invisible characters as escapes: `\u202e`. Line breaks and tabs stay. */
export function visible(text) {
  return String(text).replace(HIDDEN, (char) => {
    const code = char.codePointAt(0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}
