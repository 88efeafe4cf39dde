import ts from 'typescript';

/** A difference between an object and its published type. */
type Difference = string;

const ENTRY = '/published-types.ts';

/**
 * Checks JSON against the types of the pinned `stripe` package. An object must have exactly the fields of its
 * type. If the type lists values for a text, the text must be one of these values, although the package also
 * allows values of later versions. A type has its name in the `Stripe` namespace, such as `Dispute`.
 */
export class PublishedTypes {
  private readonly checker: ts.TypeChecker;
  private readonly types = new Map<string, ts.Type>();

  constructor(names: readonly string[]) {
    const text = `import type { Stripe } from 'stripe';\n${names
      .map((name) => `export declare const ${name}: Stripe.${name};`)
      .join('\n')}\n`;
    const options: ts.CompilerOptions = {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      skipLibCheck: true,
      types: [],
    };
    const entry = `${process.cwd()}${ENTRY}`;
    const host = ts.createCompilerHost(options);
    const real = { ...host };
    host.fileExists = (file) => file === entry || real.fileExists(file);
    host.readFile = (file) => (file === entry ? text : real.readFile(file));
    host.getSourceFile = (file, version, ...rest) =>
      file === entry
        ? ts.createSourceFile(file, text, version, true)
        : real.getSourceFile(file, version, ...rest);
    const program = ts.createProgram([entry], options, host);
    this.checker = program.getTypeChecker();
    const source = program.getSourceFile(entry);
    const module = source && this.checker.getSymbolAtLocation(source);
    if (!module) throw new Error('The types of the stripe package cannot be read');
    for (const symbol of this.checker.getExportsOfModule(module))
      this.types.set(symbol.name, this.checker.getTypeOfSymbol(symbol));
  }

  differences(name: string, value: unknown): Difference[] {
    const type = this.types.get(name);
    if (!type || type.flags & ts.TypeFlags.Any) throw new Error(`The stripe package has no type ${name}`);
    return this.compare(type, value, name);
  }

  private compare(type: ts.Type, value: unknown, path: string): Difference[] {
    if (type.isUnion()) return this.compareUnion(type.types, value, path);
    if (value === null) return type.flags & ts.TypeFlags.Null ? [] : [`${path} is null`];
    if (Array.isArray(value)) {
      const [element] = this.checker.getTypeArguments(type as ts.TypeReference);
      if (!this.checker.isArrayType(type) || !element) return [`${path} is a list`];
      return value.flatMap((item, index) => this.compare(element, item, `${path}[${index}]`));
    }
    if (typeof value === 'object') return this.compareObject(type, value, path);
    return this.isPrimitive(type, value) ? [] : [`${path} is ${JSON.stringify(value)}`];
  }

  private compareUnion(members: readonly ts.Type[], value: unknown, path: string): Difference[] {
    if (typeof value === 'string') {
      const words = members.filter((member) => member.isStringLiteral());
      if (words.length > 0)
        return words.some((word) => word.value === value) ? [] : [`${path} is "${value}"`];
    }
    let least: Difference[] | undefined;
    for (const member of this.candidates(members, value)) {
      const found = this.compare(member, value, path);
      if (found.length === 0) return [];
      if (!least || found.length < least.length) least = found;
    }
    return least ?? [`${path} is ${JSON.stringify(value)}`];
  }

  /** Returns the types that match the `object` and `type` of a value. */
  private candidates(members: readonly ts.Type[], value: unknown): readonly ts.Type[] {
    if (typeof value !== 'object' || value === null) return members;
    const objects = members.filter(({ flags }) => flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection));
    const kinds = ['object', 'type'].filter((name) => name in value);
    // The field `object` is `event` for all events, so the field `type` determines the type of an event.
    const named = objects.filter((member) => {
      const told = kinds.flatMap((name) => {
        const property = member.getProperty(name);
        const type = property && this.checker.getTypeOfSymbol(property);
        return type?.isStringLiteral() ? [type.value === (value as Record<string, unknown>)[name]] : [];
      });
      return told.length > 0 && told.every(Boolean);
    });
    return named.length > 0 ? named : objects;
  }

  private compareObject(type: ts.Type, value: object, path: string): Difference[] {
    const fields = value as Record<string, unknown>;
    const any = type.getStringIndexType();
    const properties = this.checker.getPropertiesOfType(type);
    if (properties.length === 0 && !any)
      return type.flags & ts.TypeFlags.Object ? [] : [`${path} is an object`];
    const known = new Map(properties.map((property) => [property.name, property]));
    const missing = properties
      .filter(({ name, flags }) => !(name in fields) && !(flags & ts.SymbolFlags.Optional))
      .map(({ name }) => `${path}.${name} is missing`);
    const wrong = Object.entries(fields).flatMap(([name, field]) => {
      const property = known.get(name);
      const expected = property ? this.checker.getTypeOfSymbol(property) : any;
      return expected
        ? this.compare(expected, field, `${path}.${name}`)
        : [`${path}.${name} is not described`];
    });
    return [...missing, ...wrong];
  }

  private isPrimitive(type: ts.Type, value: unknown): boolean {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return true;
    if (flags & (ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLiteral | ts.TypeFlags.BooleanLiteral))
      return this.checker.typeToString(type) === JSON.stringify(value);
    if (typeof value === 'number') return (flags & ts.TypeFlags.Number) !== 0;
    if (typeof value === 'boolean') return (flags & ts.TypeFlags.Boolean) !== 0;
    // In the package, `string & {}` at the end of a list allows other values.
    return (flags & (ts.TypeFlags.String | ts.TypeFlags.Intersection)) !== 0;
  }
}
