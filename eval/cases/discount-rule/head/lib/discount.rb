# What a customer saves.
class Discount
  LEVELS = { 10_000 => 5, 50_000 => 10, 100_000 => 15 }.freeze

  def percent(order)
    level = LEVELS.keys.find { |limit| order.cents > limit }
    level.nil? ? 0 : LEVELS[level]
  end

  def cents(order)
    order.cents * percent(order) / 100
  end

  # What is left to pay.
  def apply(order, coupon_cents = 0)
    order.cents - cents(order) - coupon_cents
  end
end
