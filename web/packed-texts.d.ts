/** Texts of one language, packed by `scripts/text-modules.mjs`. */
declare module '*.json?packed' {
  const packed: string;
  export default packed;
}
