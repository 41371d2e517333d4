class Clean
end
