export function totalOf(cart) {
  return cart.items.reduce((sum, item) => sum + item.cents * item.count, 0);
}
