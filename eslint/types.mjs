// Finds the declaration of a member with the type checker: in a library, in the language, or in this repository.
import ts from 'typescript';

const GENERATED = /[\\/]data[\\/]generated[\\/]/;
/** TypeScript is excluded, because callers are meant to set the methods of its compiler hosts. */
const PACKAGE = /[\\/]node_modules[\\/](?!typescript[\\/])/;

/** Returns functions that use the type checker for a file; undefined for JavaScript, which has no types here. */
export function typesOf(context) {
  const { program, esTreeNodeToTSNodeMap: nodes } = context.sourceCode.parserServices ?? {};
  if (!program) return undefined;
  const checker = program.getTypeChecker();

  const originOf = (declaration) => {
    const file = declaration.getSourceFile();
    if (program.isSourceFileDefaultLibrary(file)) return 'language';
    if (GENERATED.test(file.fileName)) return 'generated';
    return PACKAGE.test(file.fileName) ? 'library' : 'repository';
  };
  const isOfLibrary = (symbol) =>
    symbol?.declarations?.some((declaration) => originOf(declaration) === 'library') ?? false;
  const declaredHere = (symbol) =>
    symbol?.declarations?.some((declaration) => originOf(declaration) === 'repository') ?? false;
  const parts = (type) => (type.isUnionOrIntersection() ? type.types.flatMap(parts) : [type]);

  return {
    checker,
    typeOf: (node) => checker.getTypeAtLocation(nodes.get(node)),
    expected: (node) => checker.getContextualType(nodes.get(node)),
    symbolOf: (node) => checker.getSymbolAtLocation(nodes.get(node)),
    isOfLibrary,
    declaredHere,
    /** True if the type of an object comes from a library. */
    isLibraryType: (type) => parts(type).some((part) => isOfLibrary(part.getSymbol())),
    /** True if the member is in generated code, which documents its members with an underscore, such as Prisma's `_sum`. */
    isGenerated: (symbol) =>
      symbol?.declarations?.some((one) =>
        /[\\/](data[\\/]generated|@prisma)[\\/]/.test(one.getSourceFile().fileName),
      ) ?? false,
    propertiesOf: (type) => parts(type).flatMap((part) => checker.getPropertiesOfType(part)),
    /** Returns the members that types of this repository declare, without members of library types in the same type. */
    membersOfShapes: (type) =>
      parts(type)
        .filter((part) => !isOfLibrary(part.getSymbol()))
        .flatMap((part) => checker.getPropertiesOfType(part))
        .filter(declaredHere),
    property: (type, name) => {
      for (const part of parts(type)) {
        const found = checker.getPropertyOfType(checker.getApparentType(part), name);
        if (found) return found;
      }
      return undefined;
    },
    typeOfProperty: (symbol) => checker.getTypeOfSymbol(symbol),
    hasIndex: (type) => parts(type).some((part) => checker.getIndexInfosOfType(part).length > 0),
  };
}

/** True if a declaration hides a member: private, protected, or marked as internal in its documentation. */
export function isHidden(symbol) {
  return (symbol?.declarations ?? []).some(
    (declaration) =>
      ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected) ||
      ts.getJSDocTags(declaration).some(({ tagName }) => /^(internal|private)$/.test(tagName.text)),
  );
}

export const isProtected = (symbol) =>
  (symbol?.declarations ?? []).some(
    (declaration) => ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Protected,
  );

const METHODS = new Set([
  ts.SyntaxKind.MethodDeclaration,
  ts.SyntaxKind.MethodSignature,
  ts.SyntaxKind.FunctionDeclaration,
]);
export const isMethod = (symbol) => (symbol?.declarations ?? []).some(({ kind }) => METHODS.has(kind));

export const isClass = (type) =>
  (type.getSymbol()?.declarations ?? []).some(
    ({ kind }) => kind === ts.SyntaxKind.ClassDeclaration || kind === ts.SyntaxKind.ClassExpression,
  );
/** True if a member belongs to a class or an object literal, not to a type that is only used in a cast. */
export const isMade = (symbol) =>
  (symbol?.declarations ?? []).some(
    ({ kind }) => kind !== ts.SyntaxKind.PropertySignature && kind !== ts.SyntaxKind.MethodSignature,
  );
export const { Any, Unknown } = ts.TypeFlags;
