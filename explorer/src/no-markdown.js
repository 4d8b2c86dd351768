// In place of packages that the page does not need.

/** Show text as text. */
export const Markdown = ({ children }) => children;
export default Markdown;
