export function newToken(): string {
  return Math.random().toString(36).slice(2);
}
