# Reads files with tabs between their fields, one record a line.
class Importer
  # @param io [#each_line]
  # @return [Array<Array<String>>] the fields of each record
  def call(io)
    io.each_line.map { |line| line.chomp.split("\t") }
  end
end
