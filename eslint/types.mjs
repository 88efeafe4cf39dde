// Finds the declaration of a member with the type checker: in a library, in the language, or in this repository.
import ts from 'typescript';

const GENERATED = /[\\/]data[\\/]generated[\\/]/;
/** The compiler's hosts are objects whose methods are meant to be set. */
const PACKAGE = /[\\/]node_modules[\\/](?!typescript[\\/])/;

/** Returns the type checker's view of a file; undefined for JavaScript, which has no types here. */
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
    /** True if a library created or described this object. */
    isLibraryType: (type) => parts(type).some((part) => isOfLibrary(part.getSymbol())),
    /** Generated code documents its underscored members, such as Prisma's `_sum`. */
    isGenerated: (symbol) =>
      symbol?.declarations?.some((one) =>
        /[\\/](data[\\/]generated|@prisma)[\\/]/.test(one.getSourceFile().fileName),
      ) ?? false,
    propertiesOf: (type) => parts(type).flatMap((part) => checker.getPropertiesOfType(part)),
    /** Members declared by types of this repository, without those of library types combined with them. */
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
