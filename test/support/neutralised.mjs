import jest from '@swc/jest';

/**
 * A Jest transformer that compiles one file with a changed text. Options: `file` (the end of its path), `from`, `to`, and the
 * options of `@swc/jest` as `swc`.
 */
export default {
  createTransformer: ({ file, from, to, swc }) => {
    const compiler = jest.createTransformer(swc);
    const written = (text, path) => (path.endsWith(file) ? text.replace(from, () => to) : text);
    const process = (text, path, ...rest) => compiler.process(written(text, path), path, ...rest);
    return { canInstrument: false, process, processAsync: async (...sent) => process(...sent) };
  },
};
