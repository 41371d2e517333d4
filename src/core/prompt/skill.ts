/**
 * What a skill tells the model: a `SKILL.md` without its front matter (name, description and the like between two
 * lines of three hyphens at the top), which is there for programs that choose among skills. A file that only looks as
 * if it had one is left whole.
 */
export function skillBody(text: string): string {
  const front = FRONT_MATTER.exec(text);
  return front === null ? text : text.slice(front[0].length);
}

/** Keys and their values, lists and continuation lines; at least one key, so that a rule at the top is none. */
const FRONT_MATTER =
  /^\uFEFF?---[ \t]*\r?\n(?:[A-Za-z_][\w-]*:[^\n]*\n(?:[ \t#-][^\n]*\n|\r?\n)*)+---[ \t]*(?:\r?\n|$)(?:[ \t]*\r?\n)*/;
