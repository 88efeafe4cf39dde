import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The error classes of the domain: each with its status and the position of the error code in its arguments. */
const CLASSES: Readonly<Record<string, readonly [status: number, code: number]>> = {
  InvalidInputError: [400, 0],
  UnauthorizedError: [401, 0],
  ForbiddenError: [403, 0],
  NotFoundError: [404, 0],
  ConflictError: [409, 0],
  GoneError: [410, 0],
  TooManyRequestsError: [429, 1],
  UnavailableError: [503, 0],
  DomainError: [0, 1],
};

/** Returns every error code in the source, with the file that creates the error. */
export function codesInSource(): Map<string, string> {
  const codes = new Map<string, string>();
  for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.spec.ts') || name.startsWith('data/generated')) continue;
    const text = readFileSync(join('src', name), 'utf8');
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
    const visit = (node: ts.Node): void => {
      for (const code of codesOf(node)) codes.set(code, name);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return codes;
}

function codesOf(node: ts.Node): string[] {
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
    const rule = CLASSES[node.expression.text];
    const argument = rule && node.arguments?.[rule[1]];
    return argument ? wordsIn(argument) : [];
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword)
    return node.arguments.flatMap(wordsIn);
  // The default codes of the error classes.
  if (ts.isParameter(node) && node.name.getText() === 'code' && node.initializer)
    return wordsIn(node.initializer);
  // Files below the routes, which contain codes in tables and answers.
  const isBelow = /(code-of-status|server-errors|engine-requests|health\.service)\.ts$/.test(
    node.getSourceFile().fileName,
  );
  return isBelow && ts.isStringLiteral(node) && isCode(node.text) ? [node.text] : [];
}

function wordsIn(node: ts.Node): string[] {
  if (ts.isStringLiteral(node)) return isCode(node.text) ? [node.text] : [];
  if (ts.isTemplateExpression(node)) return /^[A-Z_]+_$/.test(node.head.text) ? [`${node.head.text}*`] : [];
  const found: string[] = [];
  ts.forEachChild(node, (child) => void found.push(...wordsIn(child)));
  return found;
}

const isCode = (text: string): boolean =>
  /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$|^(UNAUTHORIZED|FORBIDDEN|CONFLICT|UNHEALTHY|OVERLOADED)$/.test(text) &&
  !text.startsWith('HPE_') &&
  !text.startsWith('ERR_');
