// Patterns of English that needs a second reading, and the exceptions that are meant. See "Plain English" in CONTRIBUTING.md.

/** Each pattern is tested against one sentence. `write` says what to write instead. */
export const RULES = [
  {
    name: 'clause as subject',
    pattern: /^(?:who|whoever|what|whatever|that which|those who|whether|whose)\b(?!.*\?)/i,
    write: 'a noun: "Rows to delete", "True if the …", "The sender …"',
  },
  {
    name: 'clause as object',
    pattern:
      /\b(?:of|to|for|by|from|with|than|as|on|in|at|into|about|after|before|and|or|but|not|only|is|are|was) (?:what|whoever|whatever|whom)\b(?!.*\?)/i,
    write: 'a noun instead of "what …", "whoever …"',
  },
  {
    name: 'told, hears of',
    pattern:
      /\b(?:told|tells|(?<!^)tell|telling|hears? (?:of|about|from|that)|heard (?:of|about|from|that))\b/i,
    write: 'notifies, announces, says, learns, receives',
  },
  {
    name: 'anew, nobody',
    pattern: /\b(?:anew|nobody|nobody[’']s|no one|whosoever|somebody[’']s)\b/i,
    write: 'again, "no client", "is not announced"',
  },
  { name: 'beside', pattern: /\bbesides?\b/i, write: 'next to, with, and' },
  {
    name: 'give back',
    pattern: /\b(?:gives?|gave|given|giving) (?:[\w’'-]+ ){0,3}back\b/i,
    write: 'refund, return, restore, release',
  },
  {
    name: 'go on',
    pattern: /\b(?:goes|go|going|went|gone) on\b/i,
    write: 'continue, resume, "Please wait"',
  },
  {
    name: 'is to be',
    pattern: /\b(?:is|are|was|were) (?:not )?to (?:be|have|show|say|carry|do)\b/i,
    write: 'must, should, will, or a plain verb',
  },
  {
    name: 'make good',
    pattern:
      /\b(?:made|makes?|making) good\b|\b(?:is|are|was|were) good (?:for|until|only|as)\b|\bbears? witness\b/i,
    write: 'recover, repair; valid for, valid until; sign',
  },
  {
    name: 'old-fashioned adverb',
    pattern:
      /\b(?:thereby|therein|thereof|thereupon|thereafter|wherein|whereby|whereof|hereby|herein|hence|henceforth|whence|thence|lest|likewise|alike|forthwith|whereupon|erstwhile)\b/i,
    write: 'two sentences',
  },
  {
    name: 'not one, there is none',
    pattern:
      /\b(?:not one|(?<!if )there (?:is|are|was|were) none|where none (?:is|are)|(?<!if )none is|all there is)\b/i,
    write: 'no event, "if no session exists"',
  },
  { name: 'let in', pattern: /\blets? (?:[\w’'-]+ )?in\b|\bshuts? out\b/i, write: 'admit, sign in, block' },
  {
    name: 'figurative stand',
    pattern: /\bst(?:ands?|ood) (?:there|where|as|at|by)\b|\b(?:lies|lay) (?:in|on|at|there|with|between)\b/i,
    write: 'is, is stored, has the value',
  },
  {
    name: 'by which',
    pattern: /\b(?:by|than|out of|without|through|under|beyond) which\b/i,
    write: 'two sentences, or "with", "used to"',
  },
];

/** Further patterns of texts that users read: pages, e-mails, messages of the API. */
export const TEXT_RULES = [
  { name: 'desk', pattern: /\bdesks?\b/i, write: 'dashboard' },
  { name: 'usual', pattern: /\busual:/i, write: 'Default: …' },
];

/** The longest sentence, in words. */
export const LONGEST = 40;

/** Honest exceptions: `words` stand in a sentence of `file` for `reason`. An entry that no longer applies fails the check. */
export const ALLOWED = [];
