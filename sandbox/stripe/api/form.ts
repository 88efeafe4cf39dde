/** The value of a form field after its brackets are read: text, a list, or named fields. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };
export type Form = Record<string, FormValue>;

/**
 * Reads `a=1&metadata[eventId]=x&expand[]=y&expand[1]=z` into nested fields, as Stripe does. Names are stored on
 * objects without a prototype, so that `__proto__` is a normal name.
 */
export function parseForm(text: string): Form {
  const form = Object.create(null) as Form;
  for (const [name, value] of new URLSearchParams(text)) assign(form, pathOf(name), value);
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, withLists(value)]));
}

function pathOf(name: string): string[] {
  const open = name.indexOf('[');
  if (open < 0) return [name];
  const rest = [...name.slice(open).matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '');
  return [name.slice(0, open), ...rest];
}

function assign(target: Record<string, FormValue>, path: string[], value: string): void {
  let here = target;
  path.forEach((segment, index) => {
    const key = segment === '' ? String(Object.keys(here).length) : segment;
    if (index === path.length - 1) {
      here[key] = value;
      return;
    }
    const next = here[key];
    if (typeof next === 'object' && !Array.isArray(next)) {
      here = next;
    } else {
      const made = Object.create(null) as Record<string, FormValue>;
      here[key] = made;
      here = made;
    }
  });
}

/** Converts objects with the names 0, 1, 2 … to lists. */
function withLists(value: FormValue): FormValue {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const names = Object.keys(value);
  if (names.length > 0 && names.every((name, index) => name === String(index))) {
    return names.map((name) => withLists(value[name] ?? ''));
  }
  return Object.fromEntries(names.map((name) => [name, withLists(value[name] ?? '')]));
}

export function fieldOf(value: FormValue | undefined, name: string): FormValue | undefined {
  return typeof value === 'object' && !Array.isArray(value) ? value[name] : undefined;
}

export function textOf(value: FormValue | undefined, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : undefined;
}
