export function openMenu(state) {
  const menu = state?.menus?.main;
  if (!menu) return state;
  return { ...state, menus: { ...state.menus, main: { ...menu, isOpen: true } } };
}
