/** Environment variables that hold secrets by their names: keys, tokens, passwords, and inputs of that kind. */
const SECRET_NAME =
  /(?:^|[_-])(?:API[_-]KEY|TOKEN|BEARER[_-]TOKEN[_-]\w+|SECRET|PASSWORD|PASSPHRASE|ACCESS[_-]KEY|PRIVATE[_-]KEY|SIGNING[_-]KEY)$/i;

/** Every value of an environment that must never leave, longest first, so that none hides part of another (D11). */
export function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined && value.trim() !== '' ? [value.trim()] : [],
  );
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}
