class Order
  attr_reader :lines

  def initialize(lines)
    @lines = lines
  end

  def cents
    lines.sum { |line| line[:cents] * line[:count] }
  end
end
