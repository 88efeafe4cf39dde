type Values = Readonly<Record<string, string | number | undefined>>;

/**
 * Fills the `{names}` of a text; names without a value stay. What was filled in is not looked at again. Where a value ends
 * with a full stop, as "Example Aid e.V." and "9:30 p.m." do, the one that ends the sentence is left out.
 */
export const fillText = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}(\.?)/g, (whole, name: string, stop: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return whole;
    const filled = String(value);
    return filled.endsWith('.') ? filled : filled + stop;
  });
