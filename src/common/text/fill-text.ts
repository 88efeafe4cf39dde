type Values = Readonly<Record<string, string | number | undefined>>;

/**
 * Replaces each `{name}` in a text with its value. A name without a value stays. `{…}` inside a value is not replaced. If a
 * value ends with a full stop, such as "Example Aid e.V." or "9:30 p.m.", a following full stop is dropped.
 */
export const fillText = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}(\.?)/g, (whole, name: string, stop: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return whole;
    const filled = String(value);
    return filled.endsWith('.') ? filled : filled + stop;
  });
