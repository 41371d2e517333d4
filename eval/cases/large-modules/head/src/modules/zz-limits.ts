export function lastPage(total: number, perPage: number): number {
  return Math.floor(total / perPage);
}
