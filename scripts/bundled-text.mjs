// What esbuild writes around a bundle, made cheap for a process that keeps all of it in memory.
import ts from 'typescript';

/** esbuild's helpers, as it writes them without spaces, and what takes their place. */
const HELPERS = [
  // To define a name that is there already, V8 makes a table for the properties of that one function.
  [
    '__name=(target,value)=>__defProp(target,"name",{value,configurable:!0})',
    '__name=(target,value)=>target.name===value?target:__defProp(target,"name",{value,configurable:!0})',
  ],
  // Each file that imports a package in CommonJS gets a copy of it with a getter for each export: one copy is enough for
  // all, unless exports came since.
  [
    'var __toESM=(mod,isNodeMode,target)=>',
    'var __copiesESM=[new WeakMap,new WeakMap],' +
      '__toESM=(mod,isNodeMode)=>{' +
      'if(mod===null||typeof mod!="object"&&typeof mod!="function")return __copyESM(mod,isNodeMode);' +
      'let copies=__copiesESM[isNodeMode?1:0],count=__getOwnPropNames(mod).length,known=copies.get(mod);' +
      'if(known?.count!==count)copies.set(mod,known={count,copy:__copyESM(mod,isNodeMode)});' +
      'return known.copy},' +
      '__copyESM=(mod,isNodeMode,target)=>',
  ],
];

/** The same file with our helpers, if it is theirs. @throws where esbuild writes them otherwise by now */
export function withOurHelpers(text) {
  if (!/\bvar __toESM=|[, ]__name=/.test(text)) return text;
  return HELPERS.reduce((whole, [theirs, ours]) => {
    if (!whole.includes(theirs)) throw new Error(`esbuild's helper is not as expected: ${theirs}`);
    return whole.replace(theirs, () => ours);
  }, text);
}

/**
 * The same file with names given by the language where they were by `__name(function, "name")`: a function whose name is
 * defined afterwards costs 250 bytes and more than one that was written with it. Names stay as they are.
 */
export function namedByLanguage(text) {
  const file = ts.createSourceFile('bundle.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  /** @type {{ from: number, to: number, text: string }[]} */
  const edits = [];
  const replace = (from, to, text = '') => {
    edits.push({ from, to, text });
  };

  const visit = (node) => {
    if (ts.isExpressionStatement(node)) {
      const left = operands(node.expression).filter((one) => !namesWhatHasIt(one));
      if (left.length === 0) return replace(node.getStart(file), node.end, ';');
    }
    if (ts.isClassStaticBlockDeclaration(node) && namesItsClass(node))
      return replace(node.getStart(file), node.end);
    const named = naming(node);
    if (named) {
      const { what, name } = named;
      const own = what.name?.text;
      if (own === name || (own === undefined && isFunction(what))) {
        const same = own === name || nameFrom(node) === name;
        // `{ name: () => … }.name`: the language names what stands in an object.
        const [before, after] = same
          ? ['', '']
          : [`({${JSON.stringify(name)}:`, `})[${JSON.stringify(name)}]`];
        replace(node.getStart(file), what.getStart(file), before);
        replace(what.end, node.end, after);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);

  let [result, at] = ['', 0];
  for (const { from, to, text: instead } of edits.sort((a, b) => a.from - b.from)) {
    result += text.slice(at, from) + instead;
    at = to;
  }
  return result + text.slice(at);
}

/** `a, b, c` as a list. */
const operands = (node) =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.CommaToken
    ? [...operands(node.left), ...operands(node.right)]
    : [node];

/** `__name(what, "name")`, taken apart. */
function naming(node) {
  if (!ts.isCallExpression(node) || node.expression.getText() !== '__name') return undefined;
  const [what, name] = node.arguments;
  return what && name && ts.isStringLiteral(name) ? { what, name: name.text } : undefined;
}

/** `__name(gift, "gift")`, which says again what a declaration of a function said. */
function namesWhatHasIt(node) {
  const named = naming(node);
  return named !== undefined && ts.isIdentifier(named.what) && named.what.text === named.name;
}

/** `class Gift { static { __name(this, "Gift") } }`. */
function namesItsClass(block) {
  const [statement, ...others] = block.body.statements;
  if (!statement || others.length > 0 || !ts.isExpressionStatement(statement)) return false;
  const named = naming(statement.expression);
  if (named?.what.kind !== ts.SyntaxKind.ThisKeyword) return false;
  const of = block.parent;
  return (of.name ? of.name.text : nameFrom(of)) === named.name;
}

const isFunction = (node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node);

/** The name that the language gives a function without one that stands here. */
function nameFrom(node) {
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isBindingElement(parent) || ts.isParameter(parent))
    return parent.initializer === node && ts.isIdentifier(parent.name) ? parent.name.text : undefined;
  if (ts.isPropertyAssignment(parent))
    return ts.isIdentifier(parent.name) || ts.isStringLiteral(parent.name) ? parent.name.text : undefined;
  const assigns =
    ts.isBinaryExpression(parent) &&
    parent.right === node &&
    parent.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    ts.isIdentifier(parent.left);
  return assigns ? parent.left.text : undefined;
}
