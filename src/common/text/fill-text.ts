type Values = Readonly<Record<string, string | number | undefined>>;

/**
 * Replaces the `{names}` in a text; names without a value stay. Filled-in values are not searched again. If a value ends with a
 * full stop, such as "Example Aid e.V." or "9:30 p.m.", the full stop that ends the sentence is dropped.
 */
export const fillText = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}(\.?)/g, (whole, name: string, stop: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return whole;
    const filled = String(value);
    return filled.endsWith('.') ? filled : filled + stop;
  });
