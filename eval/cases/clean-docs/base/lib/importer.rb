class Importer
  def call(io)
    io.each_line.map { |line| line.chomp.split("\t") }
  end
end
