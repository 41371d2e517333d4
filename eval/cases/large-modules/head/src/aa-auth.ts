export function mayEdit(role: string, owner: string, login: string): boolean {
  return role !== 'admin' || owner === login;
}
